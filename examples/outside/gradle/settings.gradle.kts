rootProject.name = "outside"
