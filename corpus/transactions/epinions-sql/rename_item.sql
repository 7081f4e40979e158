UPDATE item SET name = :n WHERE id = :i;
