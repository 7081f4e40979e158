SELECT registered INTO :r FROM users WHERE id = :u;
IF NOT :r THEN
    UPDATE users SET registered = true, password = :p WHERE id = :u;
END IF;
