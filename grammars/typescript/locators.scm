; Method calls: where every chain, and every action on a page, begins to be looked for. Which methods build a locator is
; the gate's table, not the grammar's.
(call_expression
  function: (member_expression
    object: (_) @receiver
    property: [(property_identifier) (private_property_identifier)] @method)
  arguments: (arguments) @arguments) @call
