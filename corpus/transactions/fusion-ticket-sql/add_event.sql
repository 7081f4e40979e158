SELECT count(*) INTO :n FROM event WHERE venue = :v AND id = :e;
IF :n = 0 THEN
    INSERT INTO event (venue, id, title) VALUES (:v, :e, :t);
    INSERT INTO seats (venue, event, free) VALUES (:v, :e, :capacity);
END IF;
