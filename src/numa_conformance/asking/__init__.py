"""What a target is asked: small worlds and lives, budgets, repeating and shortening what failed."""
