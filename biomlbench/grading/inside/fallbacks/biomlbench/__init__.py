"""What a grader of one's own may import of this project in an interpreter that has none of it."""
