-- Vote (ESOP 2021, after H-Store's Voter): a phone may be used for some votes, and not for more.
-- expect(not_robust, model = rc)
-- expect(not_robust, model = si)
-- expect(robust, model = ssi)

CREATE TABLE contestants (
    number int PRIMARY KEY,
    active boolean NOT NULL
);
CREATE TABLE area_code_state (
    area_code int PRIMARY KEY,
    state text NOT NULL
);
CREATE TABLE votes (
    id int PRIMARY KEY,
    phone int NOT NULL,
    state text,
    contestant int REFERENCES contestants (number)
);
