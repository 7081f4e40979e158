SELECT registered INTO :r FROM users WHERE id = :u;
IF :r THEN
    SELECT follower FROM follows WHERE followed = :u;
    INSERT INTO tweets (author, number, text) VALUES (:u, :n, :text);
END IF;
