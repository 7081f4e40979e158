SELECT name FROM trader WHERE trade = :t;
