//! Whether a pull request is opened, updated or left alone. A person's "no" is remembered in the forge itself: the repairs
//! that a closed request proposed stand in its text.

/// How the list of repairs stands in a request's text, invisible to a reader.
const OPEN: &str = "<!-- relocator-repairs:";
const CLOSE: &str = "-->";

/// A pull request, or a merge request, of our branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PullRequest {
    /// Its number.
    pub number: u64,
    /// Where a person finds it.
    pub url: String,
    /// How it stands.
    pub state: State,
    /// Its text.
    pub body: String,
}

/// How a pull request stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Open.
    Open,
    /// Closed by a person, without a merge.
    Closed,
    /// Merged.
    Merged,
}

/// What is done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// A new request.
    Open,
    /// The open one gets the new text.
    Update {
        /// Its number.
        number: u64,
        /// Where a person finds it.
        url: String,
    },
    /// Nothing; why not.
    Leave(String),
}

/// The text of a request with the ids of its repairs in it.
pub fn marked(body: &str, repairs: &[String]) -> String {
    format!("{}\n\n{OPEN} {} {CLOSE}\n", body.trim_end(), repairs.join(" "))
}

/// The ids of the repairs that a request's text names.
pub fn marks(body: &str) -> Vec<&str> {
    let list = body.rsplit_once(OPEN).and_then(|(_, rest)| rest.split_once(CLOSE));
    list.map(|(list, _)| list.split_whitespace().collect()).unwrap_or_default()
}

/// What is done with `repairs`, given all requests that our branch ever had.
pub fn next(requests: &[PullRequest], repairs: &[String]) -> Next {
    if repairs.is_empty() {
        return Next::Leave("nothing was healed, so there is nothing to merge".to_owned());
    }
    let newest = |state: State| requests.iter().filter(|one| one.state == state).max_by_key(|one| one.number);
    if let Some(open) = newest(State::Open) {
        return Next::Update { number: open.number, url: open.url.clone() };
    }
    let closed: Vec<&PullRequest> = requests.iter().filter(|one| one.state == State::Closed).collect();
    let refused = |repair: &String| closed.iter().any(|one| marks(&one.body).contains(&repair.as_str()));
    match newest(State::Closed) {
        Some(last) if repairs.iter().all(refused) => Next::Leave(format!(
            "a person closed {} with these very repairs; it is not opened again for them",
            last.url
        )),
        _ => Next::Open,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(number: u64, state: State, repairs: &[&str]) -> PullRequest {
        let repairs: Vec<String> = repairs.iter().map(|&id| id.to_owned()).collect();
        PullRequest { number, url: format!("https://forge/{number}"), state, body: marked("text", &repairs) }
    }

    #[test]
    fn there_is_one_open_request_and_a_closed_one_is_an_answer() {
        let opens = |before: &[PullRequest], repairs: &[&str]| {
            let repairs: Vec<String> = repairs.iter().map(|&id| id.to_owned()).collect();
            match next(before, &repairs) {
                Next::Open => "open".to_owned(),
                Next::Update { number, .. } => format!("update {number}"),
                Next::Leave(_) => "leave".to_owned(),
            }
        };
        let closed = request(4, State::Closed, &["a", "b"]);
        assert_eq!(opens(&[], &["a"]), "open");
        assert_eq!(opens(&[], &[]), "leave");
        assert_eq!(opens(&[request(7, State::Open, &["a"])], &["c"]), "update 7");
        assert_eq!(opens(std::slice::from_ref(&closed), &["a"]), "leave");
        assert_eq!(opens(&[closed.clone(), request(5, State::Closed, &["c"])], &["a", "c"]), "leave");
        assert_eq!(opens(std::slice::from_ref(&closed), &["a", "c"]), "open", "a new repair is a new question");
        assert_eq!(opens(&[request(4, State::Merged, &["a"])], &["a"]), "open", "merged is no refusal");
        assert_eq!(opens(&[closed, request(9, State::Open, &["a"])], &["a"]), "update 9");
    }

    #[test]
    fn a_list_of_repairs_is_read_back_and_a_text_without_one_names_none() {
        assert_eq!(marks(&marked("# report\n", &["a".to_owned(), "b".to_owned()])), ["a", "b"]);
        assert!(marks("a person's own words").is_empty());
        assert!(marks("<!-- relocator-repairs: a").is_empty());
    }
}
