UPDATE locks SET held = held OR :wanted, expires = expires + :t WHERE id = :l RETURNING held INTO :ok;
