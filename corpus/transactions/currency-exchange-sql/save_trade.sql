SELECT name INTO :before FROM trader WHERE trade = :t;
UPDATE trader SET name = :n WHERE trade = :t;
UPDATE content SET amount = :a WHERE trade = :t;
