INSERT INTO course (id, title, open) VALUES (:c, :t, true) ON CONFLICT (id) DO UPDATE SET open = true;
