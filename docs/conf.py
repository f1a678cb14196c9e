"""The site of the manual: `make docs`. Sphinx reads it."""

project = "Hopwright"
author = "The authors of Hopwright"
project_copyright = "The authors of Hopwright"

extensions = ["myst_nb", "sphinx_copybutton"]
root_doc = "index"
exclude_patterns = ["conf.py"]

# The copy button takes commands alone: not their prompt, and not what they print.
copybutton_prompt_text = "$ "
copybutton_line_continuation_character = "\\"

html_theme = "furo"
html_title = "Hopwright"
html_static_path = ["_static"]
html_copy_source = False
html_show_sphinx = False

# Headings down to the third level can be linked to, as the pages do among themselves.
myst_heading_anchors = 3
myst_enable_extensions = ["colon_fence", "deflist"]

# Notebooks are executed when the site is made: what they show is what the program says today.
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 300
