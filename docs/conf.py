"""How the site is built: `make docs`. It needs no network, and nothing on it is loaded from elsewhere."""

from importlib import metadata

project = "untilgreen"
version = release = metadata.version("untilgreen")
extensions = ["myst_parser"]
myst_heading_anchors = 3
nitpicky = True

html_theme = "furo"
html_title = f"untilgreen {version}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = [("site.js", {"defer": "defer"})]  # a few lines of our own do what a dependency would
html_show_sphinx = False
html_show_copyright = False
html_copy_source = False
# the summaries would be fetched page by page, which a browser refuses for a site that lies in files
html_show_search_summary = False
