; Tests, groups, hooks and steps: @title and @body of each call, by the name it is called under.
(call_expression
  function: (identifier) @kind
  arguments: (arguments . [(string) (template_string)] @title [(arrow_function) (function_expression)] @body .)
  (#any-of? @kind "test" "it" "describe")) @test
(call_expression
  function: (member_expression object: (identifier) @root property: (property_identifier) @kind)
  arguments: (arguments . [(string) (template_string)] @title [(arrow_function) (function_expression)] @body .)
  (#any-of? @root "test" "it" "describe")
  (#any-of? @kind "describe" "step" "only" "skip" "fixme" "fail" "slow")) @test
(call_expression
  function: (member_expression object: (identifier) @root property: (property_identifier) @kind)
  arguments: (arguments . [(arrow_function) (function_expression)] @body .)
  (#any-of? @root "test" "it")
  (#any-of? @kind "beforeEach" "afterEach" "beforeAll" "afterAll")) @hook
