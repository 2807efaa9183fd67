//! What is written for people: every link and picture of it leads somewhere, and the guide says all in both languages.

#![expect(clippy::unwrap_used, reason = "a test's helpers are outside of its #[test] functions")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::root;

fn pages(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(pages(&path));
        } else if path.extension().is_some_and(|end| end == "md") {
            found.push(path);
        }
    }
    found
}

/// Where the links of a page lead that are neither addresses nor places of the page itself.
fn links(text: &str) -> Vec<&str> {
    text.split("](")
        .skip(1)
        .filter_map(|rest| rest.split([')', '#', ' ']).next())
        .filter(|link| !link.is_empty() && !link.contains(':'))
        .collect()
}

fn names(folder: &str) -> BTreeSet<String> {
    pages(&root().join(folder))
        .iter()
        .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
        .collect()
}

#[test]
fn every_link_of_the_documents_leads_somewhere() {
    let mut documents = pages(&root().join("docs"));
    documents.extend(["README.md", "SECURITY.md"].map(|name| root().join(name)));
    let mut followed = 0;
    for page in documents {
        let text = std::fs::read_to_string(&page).unwrap();
        for link in links(&text) {
            followed += 1;
            let to = page.parent().unwrap().join(link);
            assert!(to.exists(), "{}: {link} leads nowhere", page.display());
        }
    }
    assert!(followed > 50, "{followed} links are not those of all documents");
}

#[test]
fn the_guide_has_every_page_in_both_languages_and_its_list_names_them() {
    let list = std::fs::read_to_string(root().join("docs/guide/README.md")).unwrap();
    let english = names("docs/guide/en");
    assert_eq!(english, names("docs/guide/ko"));
    for name in english {
        for language in ["en", "ko"] {
            assert!(
                list.contains(&format!("]({language}/{name})")),
                "the guide does not list {language}/{name}"
            );
        }
    }
}
