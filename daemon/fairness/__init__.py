"""Is the wheel fair? Pure: counts in, evidence out. A file a question.

Every statistic is a Bayes factor: how many times likelier the results are under a stated mixture of biased
wheels than under the fair one. For a fair wheel a Bayes factor is a test martingale, so that the probability
that it *ever* reaches 1/p, however often and by whom it is looked at, is at most p (Ville, Étude critique de
la notion de collectif, 1939). An average of several keeps that bound.
"""
