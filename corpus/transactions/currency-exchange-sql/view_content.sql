SELECT amount FROM content WHERE trade = :t;
