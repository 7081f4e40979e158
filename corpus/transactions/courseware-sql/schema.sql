-- Courseware (CAV 2019): students enroll for courses, which may be deleted.
-- expect(not_robust, model = rc)
-- expect(not_robust, model = si)
-- expect(robust, model = ssi)

CREATE TABLE student (
    id int PRIMARY KEY,
    name text
);
CREATE TABLE course (
    id int PRIMARY KEY,
    title text,
    open boolean NOT NULL
);
CREATE TABLE enrolled (
    student int,
    course int,
    PRIMARY KEY (student, course)
);
