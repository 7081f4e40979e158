SELECT customer INTO :c FROM account WHERE name = :n;
UPDATE savings SET balance = balance + :v WHERE customer = :c;
