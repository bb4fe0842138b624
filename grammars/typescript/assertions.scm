; What binds a name, to tell an assertion function under any name.
; @name is the bound name; @imported the name it had; @source the module; @value the expression; @body the function's body.
(import_statement
  (import_clause (named_imports (import_specifier name: (_) @imported @name !alias)))
  source: (string) @source)
(import_statement
  (import_clause (named_imports (import_specifier name: (_) @imported alias: (identifier) @name)))
  source: (string) @source)
(import_statement
  (import_clause (identifier) @name)
  source: (string) @source)
(import_statement
  (import_clause (namespace_import (identifier) @name))
  source: (string) @source)
(import_statement
  (import_require_clause (identifier) @name source: (string) @source))

(variable_declarator name: (identifier) @name value: (_) @value)
(variable_declarator
  name: (object_pattern (shorthand_property_identifier_pattern) @imported @name)
  value: (_) @value)
(variable_declarator
  name: (object_pattern (pair_pattern key: (_) @imported value: (identifier) @name))
  value: (_) @value)
(assignment_expression left: (identifier) @name right: (_) @value)
(assignment_expression left: (member_expression property: (_) @name) right: (_) @value)

; A fixture or an argument taken apart: the key is all that is known.
(pair_pattern key: (_) @imported value: (identifier) @name)
(pair_pattern key: (_) @imported value: (assignment_pattern left: (identifier) @name))
(object_assignment_pattern left: (shorthand_property_identifier_pattern) @imported @name)
(required_parameter pattern: (identifier) @name type: (type_annotation)? @type)

(function_declaration name: (identifier) @name body: (_) @body)
(generator_function_declaration name: (identifier) @name body: (_) @body)
(method_definition name: (_) @name body: (_) @body)
(public_field_definition name: (_) @name value: (_) @value)
(pair key: (_) @name value: (_) @value)
