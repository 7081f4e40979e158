-- SimpleCurrencyExchange (ESOP 2021): trades are saved, and looked at.
-- expect(not_robust, model = rc)
-- expect(robust, model = si)
-- expect(robust, model = ssi)

CREATE TABLE trader (
    trade int PRIMARY KEY,
    name text
);
CREATE TABLE content (
    trade int PRIMARY KEY REFERENCES trader (trade),
    amount numeric
);
