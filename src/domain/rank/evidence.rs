//! One function per kind of evidence: how an element of now compares with the one that was lost.

use super::prepared::{Prepared, Sort, overlap};
use super::signal::Signal;
use crate::domain::dom::Rect;
use crate::domain::identity::{Facts, PathStep};
use crate::domain::meaning::{Meaning, compare, compare_labels};
use crate::domain::words::{ratio, words as words_of};

/// Every kind of evidence that compares facts with facts.
pub(super) fn compare_facts(lost: &Prepared<'_>, now: &Prepared<'_>, found: &mut Vec<Signal>) {
    let kinds = [
        text,
        href,
        test_id,
        id,
        name_attribute,
        class,
        tag,
        role,
        alt,
        neighbours,
        beside,
        place,
        row,
        size,
        path,
        heading,
        form,
        group,
        order,
    ];
    found.extend(kinds.iter().filter_map(|kind| kind(lost, now)));
}

/// The same for facts read off a locator: only what the locator names can differ.
pub(super) fn compare_named(lost: &Prepared<'_>, now: &Prepared<'_>, found: &mut Vec<Signal>) {
    found.extend(tag(lost, now));
}

/// The test id.
fn test_id(lost: &Prepared<'_>, now: &Prepared<'_>) -> Option<Signal> {
    match (lost.facts.test_id.is_empty(), now.facts.test_id.is_empty()) {
        (false, false) if lost.facts.test_id == now.facts.test_id => Some(Signal::TestIdSame),
        (false, false) => Some(Signal::TestIdOther),
        _ => None,
    }
}

/// The role, where both are known.
fn role(lost: &Prepared<'_>, now: &Prepared<'_>) -> Option<Signal> {
    match (lost.facts.role.as_str(), now.facts.role.as_str()) {
        ("", _) | (_, "") => None,
        (old, new) if old == new => Some(Signal::RoleSame),
        _ if alike(lost.sort, now.sort) => Some(Signal::RoleSort),
        _ => Some(Signal::RoleOther),
    }
}

/// Whether two sorts are one for who uses them: links and buttons are pressed, and one often becomes the other.
fn alike(one: Sort, other: Sort) -> bool {
    one == other || (one.is_pressed() && other.is_pressed())
}

/// The text a person reads.
#[expect(clippy::unnecessary_wraps, reason = "one shape for every kind of evidence")]
fn text(lost: &Prepared<'_>, now: &Prepared<'_>) -> Option<Signal> {
    match (lost.said.is_empty(), now.said.is_empty()) {
        (true, true) => return Some(Signal::TextNeither),
        (true, false) => return Some(Signal::TextCome),
        (false, true) => return Some(Signal::TextGone),
        (false, false) => {}
    }
    if lost.said_words == now.said_words {
        // Under one text, each of several has an `aria-label` that says what it is for.
        let (old, new) = (lost.facts.aria_label.as_str(), now.facts.aria_label.as_str());
        if !old.is_empty() && !new.is_empty() && words_of(old) != words_of(new) {
            return Some(means(compare_labels(old, new)));
        }
        return Some(if lost.said_words.len() >= 3 { Signal::TextSameLong } else { Signal::TextSame });
    }
    let shared = lost.said_words.shared(&now.said_words);
    if shared == lost.said_words.len() && now.said_words.len() > 2 * shared + 2 {
        return Some(Signal::TextWithin);
    }
    if let (Some(old), Some(new)) = (lost.label(), now.label()) {
        return Some(means(compare_labels(old, new)));
    }
    Some(match lost.said_words.likeness(&now.said_words) {
        likeness if likeness >= 0.5 => Signal::TextMost,
        likeness if likeness > 0.0 => Signal::TextLittle,
        _ => Signal::TextOther,
    })
}

/// How a new text means what the old one did.
fn means(meaning: Meaning) -> Signal {
    match meaning {
        Meaning::Same => Signal::TextSame,
        Meaning::Reworded { shared } if shared >= 0.5 => Signal::TextMost,
        Meaning::Reworded { .. } => Signal::TextSome,
        Meaning::Exchanged { shared } if shared >= 0.5 => Signal::TextExchanged,
        Meaning::Exchanged { .. } => Signal::TextLittle,
        Meaning::OtherLanguage => Signal::TextLanguage,
        Meaning::Synonym { sure: true } => Signal::TextSure,
        Meaning::Synonym { sure: false } => Signal::TextSynonym,
        Meaning::Opposite => Signal::TextOpposite,
        Meaning::ScopeChanged => Signal::TextScope,
        Meaning::Unrelated => Signal::TextOther,
    }
}

/// Where a link leads.
fn href(lost: &Prepared<'_>, now: &Prepared<'_>) -> Option<Signal> {
    match (lost.facts.href.is_empty(), now.facts.href.is_empty()) {
        (true, true) => None,
        (true, false) => Some(Signal::HrefCome),
        (false, true) => Some(Signal::HrefGone),
        (false, false) if lost.facts.href == now.facts.href => Some(Signal::HrefSame),
        (false, false) => Some(match lost.href_words.likeness(&now.href_words) {
            likeness if likeness >= 0.5 => Signal::HrefMost,
            likeness if likeness > 0.0 => Signal::HrefSome,
            _ => Signal::HrefOther,
        }),
    }
}

/// The id.
fn id(lost: &Prepared<'_>, now: &Prepared<'_>) -> Option<Signal> {
    match (lost.facts.id.is_empty(), now.facts.id.is_empty()) {
        (true, true) => None,
        (true, false) => Some(Signal::IdCome),
        (false, true) => Some(Signal::IdGone),
        (false, false) if lost.facts.id == now.facts.id => Some(Signal::IdSame),
        (false, false) if lost.id_tokens.likeness(&now.id_tokens) < 0.5 => Some(Signal::IdOther),
        // `home-phone` is not `work-phone`.
        (false, false) => Some(match compare(&lost.facts.id, &now.facts.id) {
            Meaning::Exchanged { .. } | Meaning::Opposite => Signal::IdOther,
            _ => Signal::IdAlike,
        }),
    }
}

/// The `name` attribute.
fn name_attribute(lost: &Prepared<'_>, now: &Prepared<'_>) -> Option<Signal> {
    match (lost.facts.name_attribute.is_empty(), now.facts.name_attribute.is_empty()) {
        (true, true) => None,
        (true, false) => Some(Signal::NameCome),
        (false, true) => Some(Signal::NameGone),
        (false, false) if lost.facts.name_attribute == now.facts.name_attribute => {
            let field = matches!(now.sort, Sort::Field | Sort::Choice | Sort::File);
            Some(if field && lost.sort == now.sort { Signal::FieldName } else { Signal::NameSame })
        }
        (false, false) => Some(Signal::NameOther),
    }
}

/// The class tokens.
fn class(lost: &Prepared<'_>, now: &Prepared<'_>) -> Option<Signal> {
    match (lost.class_names.is_empty(), now.class_names.is_empty()) {
        (true, true) => None,
        (true, false) => Some(Signal::ClassCome),
        (false, true) => Some(Signal::ClassGone),
        (false, false) if lost.class_names == now.class_names => Some(Signal::ClassSame),
        (false, false) => Some(match lost.class_names.likeness(&now.class_names) {
            likeness if likeness >= 0.5 => Signal::ClassMost,
            likeness if likeness > 0.0 => Signal::ClassSome,
            _ => Signal::ClassOther,
        }),
    }
}

/// The tag, or the sort of thing it is.
fn tag(lost: &Prepared<'_>, now: &Prepared<'_>) -> Option<Signal> {
    if lost.facts.tag.is_empty() {
        return None;
    }
    Some(if lost.facts.tag == now.facts.tag {
        Signal::TagSame
    } else if alike(lost.sort, now.sort) {
        Signal::TagSort
    } else {
        Signal::TagOther
    })
}

/// The text of an image.
fn alt(lost: &Prepared<'_>, now: &Prepared<'_>) -> Option<Signal> {
    match (lost.facts.alt.is_empty(), now.facts.alt.is_empty()) {
        (true, true) => None,
        _ if lost.facts.alt == now.facts.alt => Some(Signal::AltSame),
        _ => Some(Signal::AltOther),
    }
}

/// The words around.
fn neighbours(lost: &Prepared<'_>, now: &Prepared<'_>) -> Option<Signal> {
    if lost.neighbours.is_empty() {
        return None;
    }
    let least = lost.neighbours.len().min(now.neighbours.len());
    let shared = ratio(lost.neighbours.shared(&now.neighbours), least.max(1));
    Some(match shared {
        shared if shared >= 0.6 => Signal::NearMost,
        shared if shared >= 0.3 => Signal::NearSome,
        shared if shared > 0.0 => Signal::NearFew,
        _ => Signal::NearNone,
    })
}

/// Whether it is a neighbour of then that slid into the gap.
fn beside(lost: &Prepared<'_>, now: &Prepared<'_>) -> Option<Signal> {
    let label = now.label().filter(|_| !now.said_words.is_empty() && now.said_words != lost.said_words)?;
    let words =
        now.said_words.shared(&lost.said_words) == 0 && now.said_words.shared(&lost.neighbours) == now.said_words.len();
    let phrase = |text: &str| format!(" {} ", words_of(text).join(" "));
    let stood = words || phrase(&lost.facts.neighbours).contains(&phrase(label));
    // A field's description stands beside it and may become its label.
    let means_it = || lost.label().is_some_and(|old| compare(old, label) == Meaning::Synonym { sure: true });
    (stood && !means_it()).then_some(Signal::WasBeside)
}

/// The nearest heading.
fn heading(lost: &Prepared<'_>, now: &Prepared<'_>) -> Option<Signal> {
    (!lost.facts.heading.is_empty())
        .then(|| if lost.facts.heading == now.facts.heading { Signal::HeadingSame } else { Signal::HeadingOther })
}

/// The form.
fn form(lost: &Prepared<'_>, now: &Prepared<'_>) -> Option<Signal> {
    match (lost.facts.form.as_str(), now.facts.form.as_str()) {
        ("", "") => None,
        ("", _) | (_, "") => Some(Signal::FormOther),
        (old, new) if old == new => Some(Signal::FormSame),
        // The form may have been renamed; that it is in one is all that is the same.
        _ => None,
    }
}

/// The named group: a fieldset, a group of radio buttons. Its name may be reworded.
fn group(lost: &Prepared<'_>, now: &Prepared<'_>) -> Option<Signal> {
    let (old, new) = (lost.facts.group.as_str(), now.facts.group.as_str());
    (!old.is_empty() && !new.is_empty() && !compare_labels(old, new).is_kept()).then_some(Signal::GroupOther)
}

/// The place among elements of the same role in the same landmark.
fn order(lost: &Prepared<'_>, now: &Prepared<'_>) -> Option<Signal> {
    let (old, new) = lost.facts.order.zip(now.facts.order)?;
    let comparable = lost.facts.role == now.facts.role && lost.facts.landmarks == now.facts.landmarks;
    comparable.then_some(if old == new { Signal::OrderSame } else { Signal::OrderOther })
}

fn boxes(lost: &Prepared<'_>, now: &Prepared<'_>) -> Option<(Rect, Rect)> {
    lost.facts.bounds.zip(now.facts.bounds)
}

/// Where it stands on the page: by distance, and by landmark where the page has grown or shrunk above it.
fn place(lost: &Prepared<'_>, now: &Prepared<'_>) -> Option<Signal> {
    // A landmark's name may be reworded, its role stays.
    let role =
        |facts: &Facts| facts.landmarks.last().and_then(|landmark| landmark.split(' ').next()).map(str::to_owned);
    let landmarks = (role(lost.facts), role(now.facts));
    let same_landmark = matches!(&landmarks, (Some(old), Some(new)) if old == new && old != "main");
    let Some((old, new)) = boxes(lost, now) else {
        return match landmarks {
            (None, None) => None,
            (old, new) if old == new => Some(Signal::LandmarkSame),
            _ => Some(Signal::LandmarkOther),
        };
    };
    Some(match (old.x - new.x).hypot(old.y - new.y) {
        distance if distance <= 30.0 => Signal::PlaceSame,
        distance if distance <= 140.0 => Signal::PlaceClose,
        _ if same_landmark && (old.x - new.x).abs() <= 140.0 => Signal::PlaceCorner,
        _ if same_landmark => Signal::PlaceLandmark,
        distance if distance <= 350.0 => Signal::PlaceNear,
        distance if distance <= 900.0 => Signal::PlaceAway,
        _ if landmarks.0 != landmarks.1 => Signal::PlaceElsewhere,
        _ => Signal::PlaceFar,
    })
}

/// How far down it stands.
fn row(lost: &Prepared<'_>, now: &Prepared<'_>) -> Option<Signal> {
    let (old, new) = boxes(lost, now)?;
    Some(match (old.y - new.y).abs() {
        distance if distance <= 20.0 => Signal::RowSame,
        distance if distance <= 120.0 => Signal::RowNear,
        _ => Signal::RowFar,
    })
}

/// How large it is.
fn size(lost: &Prepared<'_>, now: &Prepared<'_>) -> Option<Signal> {
    let (old, new) = boxes(lost, now)?;
    let at_origin = |bounds: Rect| Rect { x: 0.0, y: 0.0, ..bounds };
    Some(match overlap(at_origin(old), at_origin(new)) {
        same if same >= 0.9 => Signal::SizeSame,
        same if same >= 0.6 => Signal::SizeLike,
        same if same >= 0.3 => Signal::SizeOther,
        _ => Signal::SizeFar,
    })
}

/// The way down to it.
fn path(lost: &Prepared<'_>, now: &Prepared<'_>) -> Option<Signal> {
    let (old, new) = (&lost.facts.path, &now.facts.path);
    if old.is_empty() || new.is_empty() {
        return None;
    }
    if old == new {
        return Some(Signal::PathSame);
    }
    let tail =
        |equal: fn(&(&PathStep, &PathStep)) -> bool| old.iter().rev().zip(new.iter().rev()).take_while(equal).count();
    Some(if tail(|(a, b)| a == b) >= 2 { Signal::PathTail } else { Signal::PathOther })
}
