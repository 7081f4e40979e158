INSERT INTO review (item, author, rating) VALUES (:i, :u, :r) ON CONFLICT (item, author) DO UPDATE SET rating = :r;
