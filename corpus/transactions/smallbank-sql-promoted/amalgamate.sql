-- All money of one customer goes to another one.
SELECT customer INTO :c1 FROM account WHERE name = :n1;
SELECT customer INTO :c2 FROM account WHERE name = :n2;
SELECT balance INTO :s FROM savings WHERE customer = :c1 FOR UPDATE;
UPDATE savings SET balance = 0 WHERE customer = :c1;
SELECT balance INTO :k FROM checking WHERE customer = :c1 FOR UPDATE;
UPDATE checking SET balance = 0 WHERE customer = :c1;
UPDATE checking SET balance = balance + :s + :k WHERE customer = :c2;
