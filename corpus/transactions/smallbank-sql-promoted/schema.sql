-- SmallBank in which WriteCheck locks what it reads. PostgreSQL: REPEATABLE READ suffices.
-- expect(not_robust, model = rc)
-- expect(robust, model = si)
-- expect(robust, model = ssi)

CREATE TABLE account (
    name text PRIMARY KEY,
    customer int NOT NULL UNIQUE
);
CREATE TABLE savings (
    customer int PRIMARY KEY REFERENCES account (customer),
    balance numeric NOT NULL
);
CREATE TABLE checking (
    customer int PRIMARY KEY REFERENCES account (customer),
    balance numeric NOT NULL
);
