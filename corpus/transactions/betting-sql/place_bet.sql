SELECT now INTO :t FROM clock WHERE id = 1;
IF :t < :deadline THEN
    INSERT INTO bets (id, amount) VALUES (:b, :amount);
END IF;
