-- Subscription (ESOP 2021): users are added and removed.
-- expect(not_robust, model = rc)
-- expect(robust, model = si)
-- expect(robust, model = ssi)

CREATE TABLE users (
    id int PRIMARY KEY,
    active boolean NOT NULL,
    password text
);
