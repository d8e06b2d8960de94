VALUES = [(1000, "M"), (500, "D"), (100, "C"), (50, "L"), (10, "X"), (5, "V"), (1, "I")]


def to_roman(number):
    """The numeral of a number."""
    text = ""
    for value, letter in VALUES:
        text += letter * (number // value)
        number %= value
    return text


def from_roman(text):
    """The number of a numeral."""
    letters = {letter: value for value, letter in VALUES}
    return sum(letters[letter] for letter in text)
