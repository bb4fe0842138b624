//! The five tools as a server is told of them: names, what they do, and the schema of their arguments.

use serde_json::{Value, json};

/// A tool.
#[derive(Debug, Clone, PartialEq)]
pub struct Tool {
    /// Its name.
    pub name: &'static str,
    /// What it does, for the model.
    pub description: &'static str,
    /// JSON schema of its arguments.
    pub parameters: Value,
}

const TEXTS: &str = include_str!("../../../prompts/heal/tools.md");

/// What the prompts say of a tool.
fn described(name: &str) -> &'static str {
    let section = TEXTS.split("\n## ").find_map(|section| section.strip_prefix(name)?.strip_prefix('\n'));
    section.unwrap_or_default().trim()
}

/// All tools, in the order in which they are usually needed.
pub fn tools() -> Vec<Tool> {
    let tool = |name, properties: Value, required: &[&str]| Tool {
        name,
        description: described(name),
        parameters: json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        }),
    };
    vec![
        tool(
            "inspect_dom",
            json!({
                "candidate": { "type": "integer", "minimum": 1, "description": "number of a candidate" },
                "page": { "type": "integer", "minimum": 1, "description": "page of the answer, from 1" },
            }),
            &[],
        ),
        tool(
            "read_file",
            json!({
                "path": { "type": "string", "description": "path from the project's root" },
                "from": { "type": "integer", "minimum": 1, "description": "first line" },
                "to": { "type": "integer", "minimum": 1, "description": "last line" },
            }),
            &["path"],
        ),
        tool(
            "edit_file",
            json!({
                "candidate": { "type": "integer", "minimum": 1, "description": "number of a candidate" },
                "path": { "type": "string", "description": "path from the project's root" },
                "old": { "type": "string", "description": "text that stands there now" },
                "new": { "type": "string", "description": "text to stand there instead" },
            }),
            &[],
        ),
        tool("run_test", json!({}), &[]),
        tool("decline", json!({ "reason": { "type": "string", "description": "why, in one sentence" } }), &["reason"]),
    ]
}

/// The schema of a reply that is one call, for servers that have no tools but follow a schema. Every key is required and
/// may be null, as strict schemas demand.
pub fn object_schema() -> Value {
    let names: Vec<&str> = tools().iter().map(|tool| tool.name).collect();
    let text = json!({ "type": ["string", "null"] });
    let number = json!({ "type": ["integer", "null"] });
    json!({
        "type": "object",
        "properties": {
            "tool": { "type": "string", "enum": names },
            "candidate": number,
            "page": number,
            "path": text,
            "from": number,
            "to": number,
            "old": text,
            "new": text,
            "reason": text,
        },
        "required": ["tool", "candidate", "page", "path", "from", "to", "old", "new", "reason"],
        "additionalProperties": false,
    })
}

#[cfg(test)]
mod tests {
    use super::tools;

    #[test]
    fn every_tool_is_described_in_the_prompts() {
        for tool in tools() {
            assert!(tool.description.len() > 20 && !tool.description.contains("##"), "{tool:?}");
        }
    }
}
