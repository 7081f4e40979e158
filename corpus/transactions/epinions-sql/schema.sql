-- Epinions (ESOP 2021): reviews and trust are written blindly, and read in groups.
-- expect(not_robust, model = rc)
-- expect(robust, model = si)
-- expect(robust, model = ssi)

CREATE TABLE item (
    id int PRIMARY KEY,
    name text
);
CREATE TABLE users (
    id int PRIMARY KEY,
    name text
);
CREATE TABLE review (
    item int REFERENCES item (id),
    author int REFERENCES users (id),
    rating int,
    PRIMARY KEY (item, author)
);
CREATE TABLE trust (
    truster int REFERENCES users (id),
    trusted int REFERENCES users (id),
    amount int,
    PRIMARY KEY (truster, trusted)
);
