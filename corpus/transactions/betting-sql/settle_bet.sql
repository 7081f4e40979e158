SELECT now INTO :t FROM clock WHERE id = 1;
IF :t >= :deadline THEN
    SELECT amount INTO :won FROM bets WHERE id = :b;
END IF;
