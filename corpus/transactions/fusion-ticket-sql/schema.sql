-- FusionTicket (ESOP 2021, CAV 2019): events of venues, and how many tickets are left.
-- expect(not_robust, model = rc)
-- expect(robust, model = si)
-- expect(robust, model = ssi)

CREATE TABLE event (
    venue int,
    id int,
    title text,
    PRIMARY KEY (venue, id)
);
CREATE TABLE seats (
    venue int,
    event int,
    free int NOT NULL,
    PRIMARY KEY (venue, event),
    FOREIGN KEY (venue, event) REFERENCES event (venue, id)
);
