-- Betting (ESOP 2021): bets are placed while the clock allows it, and settled afterwards. Nobody here sets the clock.
-- expect(robust, model = rc)
-- expect(robust, model = si)
-- expect(robust, model = ssi)

CREATE TABLE clock (
    id int PRIMARY KEY,
    now int NOT NULL
);
CREATE TABLE bets (
    id int PRIMARY KEY,
    amount int NOT NULL
);
