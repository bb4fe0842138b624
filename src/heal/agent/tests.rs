mod adversary;
mod cassettes;
mod hostile_pages;
mod tools;
mod world;
