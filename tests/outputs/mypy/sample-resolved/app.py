import missing_library
import yaml

ANSWER: int = "42"
print(missing_library.name, yaml.load)
