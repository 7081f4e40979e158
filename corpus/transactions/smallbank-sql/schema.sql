-- SmallBank (Alomari, Cahill, Fekete and Roehm, ICDE 2008) in plain SQL.
-- expect(not_robust, model = rc)
-- expect(not_robust, model = si)
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
