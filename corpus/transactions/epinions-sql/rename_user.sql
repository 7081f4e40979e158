UPDATE users SET name = :n WHERE id = :u;
