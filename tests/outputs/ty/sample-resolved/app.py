import nowhere
import nowhere.below as below

count: int = "one"
