-- Twitter (ESOP 2021): users register, follow each other, and write. That it is robust against snapshot isolation is known, because following somebody who is not
-- registered does nothing; conditions of IF are not evaluated here, so a violation is reported. The program twitter.txn has them.
-- expect(not_robust, model = rc)
-- expect(not_robust, model = si)
-- expect(robust, model = ssi)

CREATE TABLE users (
    id int PRIMARY KEY,
    registered boolean NOT NULL,
    password text
);
CREATE TABLE follows (
    follower int REFERENCES users (id),
    followed int REFERENCES users (id),
    since int,
    PRIMARY KEY (follower, followed)
);
CREATE TABLE tweets (
    author int REFERENCES users (id),
    number int,
    text text,
    PRIMARY KEY (author, number)
);
