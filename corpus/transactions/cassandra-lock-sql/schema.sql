-- CassandraLock (ESOP 2021): a row is a lock. Every statement reads and writes it at once, as the conditional updates of Cassandra do.
-- expect(robust, model = rc)
-- expect(robust, model = si)
-- expect(robust, model = ssi)

CREATE TABLE locks (
    id int PRIMARY KEY,
    held boolean NOT NULL,
    expires int NOT NULL
);
