SELECT customer INTO :c FROM account WHERE name = :n;
UPDATE checking SET balance = balance + :v WHERE customer = :c;
