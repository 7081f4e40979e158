-- The auction of Vandevoort, Ketsman, Koch and Neven (EDBT 2023): bids are looked for by a condition. READ COMMITTED suffices.
-- expect(robust, model = rc)
-- expect(robust, model = si)
-- expect(robust, model = ssi)

CREATE TABLE buyer (
    id int PRIMARY KEY,
    calls int NOT NULL DEFAULT 0
);
CREATE TABLE bids (
    buyer int PRIMARY KEY REFERENCES buyer (id),
    bid numeric NOT NULL
);
CREATE TABLE log (
    id int PRIMARY KEY,
    buyer int REFERENCES buyer (id),
    bid numeric
);
