INSERT INTO trust (truster, trusted, amount) VALUES (:u, :v, :a) ON CONFLICT (truster, trusted) DO UPDATE SET amount = :a;
