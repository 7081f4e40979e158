SELECT name INTO :n FROM student WHERE id = :s;
SELECT open INTO :o FROM course WHERE id = :c;
IF :o THEN
    INSERT INTO enrolled (student, course) VALUES (:s, :c);
END IF;
