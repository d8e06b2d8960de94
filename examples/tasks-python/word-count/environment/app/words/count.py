def count_words(text):
    """Pairs of word and count."""
    counts = {}
    for word in text.split():
        counts[word] = counts.get(word, 0) + 1
    return list(counts.items())
