import unittest

import nowhere
