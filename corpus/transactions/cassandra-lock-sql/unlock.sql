UPDATE locks SET held = held AND NOT :mine WHERE id = :l;
