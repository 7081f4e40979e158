SELECT count(*) INTO :n FROM enrolled WHERE course = :c;
IF :n = 0 THEN
    UPDATE course SET open = false WHERE id = :c;
END IF;
