-- A cheque that is not covered costs one more.
SELECT customer INTO :c FROM account WHERE name = :n;
SELECT balance INTO :s FROM savings WHERE customer = :c FOR UPDATE;
SELECT balance INTO :k FROM checking WHERE customer = :c FOR UPDATE;
IF :s + :k < :v THEN
    UPDATE checking SET balance = balance - (:v + 1) WHERE customer = :c;
ELSE
    UPDATE checking SET balance = balance - :v WHERE customer = :c;
END IF;
