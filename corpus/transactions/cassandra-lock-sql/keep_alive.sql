UPDATE locks SET expires = expires + :t WHERE id = :l;
