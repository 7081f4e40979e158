SELECT active, password INTO :a, :p FROM users WHERE id = :u;
IF :a THEN
    UPDATE users SET active = false, password = NULL WHERE id = :u;
END IF;
