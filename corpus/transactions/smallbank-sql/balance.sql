SELECT customer INTO :c FROM account WHERE name = :n;
SELECT balance INTO :s FROM savings WHERE customer = :c;
SELECT balance INTO :k FROM checking WHERE customer = :c;
