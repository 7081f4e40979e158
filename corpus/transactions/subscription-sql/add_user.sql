SELECT active, password INTO :a, :p FROM users WHERE id = :u;
IF NOT :a THEN
    UPDATE users SET active = true, password = :new WHERE id = :u;
END IF;
