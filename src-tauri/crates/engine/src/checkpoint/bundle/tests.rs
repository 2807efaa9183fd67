//! Bundles that are whole, damaged, too large or hostile.

use rstest::rstest;

use super::super::{CheckpointReason, ContextState, FORMAT, FilesState, Metadata};
use super::*;
use crate::ids::CheckpointId;

fn manifest(tree: Option<ObjectId>) -> Manifest {
    let files = FilesState {
        tree,
        files: 1,
        bytes: 1,
        changed: 1,
        not_captured: Vec::new(),
        not_captured_count: 0,
    };
    let metadata = Metadata {
        session_id: String::new(),
        user_id: None,
        project_path: String::from("/p"),
        version: String::from("test"),
        format: FORMAT,
    };
    let checkpoint = Checkpoint {
        id: CheckpointId::new(jiff::Timestamp::UNIX_EPOCH),
        tag: None,
        pinned: false,
        created_at: jiff::Timestamp::UNIX_EPOCH,
        reason: CheckpointReason::Manual,
        parent: None,
        project_id: None,
        conversation: None,
        files: Some(files),
        context: ContextState::default(),
        metadata,
    };
    Manifest { checkpoint, project: String::from("p"), chat: None }
}

/// A file that compresses, one that does not, and one that compresses too well, in two folders.
fn whole() -> (Vec<u8>, Vec<Vec<u8>>) {
    let noise = (0..3_000_u32).flat_map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes()).collect();
    let bodies = vec!["line after line\n".repeat(50).into_bytes(), noise, vec![0; 1_000_000]];
    let file = |bytes: &Vec<u8>| {
        let (id, size) = (ObjectId::of(bytes), bytes.len() as u64);
        Node::Leaf(Leaf::File { id, size, mode: 0o644 })
    };
    let (inner, inner_bytes) =
        Tree::new(vec![(b"a".to_vec(), file(&bodies[0])), (b"b".to_vec(), file(&bodies[1]))])
            .encode();
    let (root, root_bytes) =
        Tree::new(vec![(b"dir".to_vec(), Node::Dir(inner)), (b"c".to_vec(), file(&bodies[2]))])
            .encode();
    let mut writer = BundleWriter::default();
    let objects: Vec<Vec<u8>> = bodies.into_iter().chain([inner_bytes, root_bytes]).collect();
    objects.iter().for_each(|bytes| writer.object(bytes));
    (writer.finish(Some(&manifest(Some(root)))), objects)
}

#[test]
fn what_was_put_in_comes_out() {
    let (bytes, objects) = whole();
    let bundle = Bundle::read(&bytes).unwrap();
    let checkpoint = &bundle.manifest().unwrap().checkpoint;
    let mut found = Vec::new();
    needed(checkpoint, &mut BTreeSet::new(), &mut found, &mut |id| bundle.tree(id)).unwrap();
    let got: BTreeSet<Vec<u8>> = found.iter().map(|id| bundle.get(*id).unwrap()).collect();
    assert_eq!(got, objects.iter().cloned().collect());
    assert_eq!(found.last(), checkpoint.files.as_ref().unwrap().tree.as_ref());

    // What somebody has already is not named again, nor what lies below it.
    let inner = ObjectId::of(&objects[3]);
    let (mut seen, mut rest) = (BTreeSet::from([inner]), Vec::new());
    needed(checkpoint, &mut seen, &mut rest, &mut |id| bundle.tree(id)).unwrap();
    assert_eq!(rest.len(), 2);
}

/// Safety: every one of a thousand changed bits is seen, and every cut.
#[test]
fn a_thousand_changed_bits_are_all_seen() {
    let (bytes, _) = whole();
    let step = bytes.len() * 8 / 1_000;
    for bit in (0..1_000).map(|nth| nth * step) {
        let mut changed = bytes.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        assert!(Bundle::read(&changed).is_err(), "bit {bit}");
        assert!(Bundle::read(&bytes[..bit / 8]).is_err(), "cut at {}", bit / 8);
    }
}

/// What somebody made who knows the form, with a hash that fits.
fn forged(kind: u8, plain: u64, id: ObjectId, packed: &[u8]) -> Vec<u8> {
    let mut bytes = BundleWriter::default().bytes;
    bytes.push(kind);
    bytes.extend_from_slice(&plain.to_le_bytes());
    bytes.extend_from_slice(&(packed.len() as u64).to_le_bytes());
    bytes.extend_from_slice(id.as_bytes());
    bytes.extend_from_slice(packed);
    let hash = blake3::hash(&bytes);
    bytes.extend_from_slice(hash.as_bytes());
    bytes
}

#[test]
fn a_bomb_is_refused_before_it_unpacks() {
    let zeros = vec![0; 64 << 20];
    let packed = zstd::bulk::compress(&zeros, 19).unwrap();
    let bomb = forged(ZIPPED, zeros.len() as u64, ObjectId::of(&zeros), &packed);
    assert!(matches!(Bundle::read(&bomb), Err(BadBundle::TooLarge { .. })));
    // One that says less than it unpacks to.
    let lying = forged(ZIPPED, 10, ObjectId::of(&zeros), &packed);
    assert!(matches!(Bundle::read(&lying), Err(BadBundle::Damaged { .. })));
    let endless = forged(PLAIN, u64::MAX, ObjectId::of(b""), b"");
    assert!(matches!(Bundle::read(&endless), Err(BadBundle::TooLarge { .. })));
}

#[test]
fn what_is_not_what_it_says_is_refused() {
    let other = forged(PLAIN, 3, ObjectId::of(b"abd"), b"abc");
    assert!(matches!(Bundle::read(&other), Err(BadBundle::Damaged { .. })));
    let unknown = forged(7, 3, ObjectId::of(b"abc"), b"abc");
    assert!(matches!(Bundle::read(&unknown), Err(BadBundle::Damaged { .. })));
    assert_eq!(Bundle::read(b"PK\x03\x04").err(), Some(BadBundle::Unrecognised));
    let mut newer = whole().0;
    newer[MAGIC.len()] = 9;
    assert_eq!(Bundle::read(&newer).err(), Some(BadBundle::Newer { found: 9 }));
}

/// Safety T18: names that lead elsewhere, as a tree's own bytes would say them.
#[rstest]
#[case(b"..")]
#[case(b".")]
#[case(b"")]
#[case(b"/etc")]
#[case(b"a/../../b")]
#[case(b"nul\0")]
#[case(b".git")]
#[case(b".GIT")]
fn a_name_that_leads_elsewhere_is_refused(#[case] name: &[u8]) {
    let leaf = Node::Leaf(Leaf::File { id: ObjectId::of(b"x"), size: 1, mode: 0o644 });
    // The form of a tree, without the checks of its constructor.
    let bytes = postcard::to_stdvec(&(vec![(name.to_vec(), leaf)],)).unwrap();
    let id = ObjectId::of(&bytes);
    let mut writer = BundleWriter::default();
    writer.object(&bytes);
    let bytes = writer.finish(Some(&manifest(Some(id))));
    let bundle = Bundle::read(&bytes).unwrap();
    assert!(matches!(bundle.tree(id), Err(BadBundle::Tree(_))));
}

#[test]
fn folders_that_are_too_deep_are_refused() {
    let mut writer = BundleWriter::default();
    let (mut id, mut bytes) = Tree::default().encode();
    for _ in 0..MAX_DEPTH {
        writer.object(&bytes);
        (id, bytes) = Tree::new(vec![(b"d".to_vec(), Node::Dir(id))]).encode();
    }
    writer.object(&bytes);
    let manifest = manifest(Some(id));
    let bytes = writer.finish(Some(&manifest));
    let bundle = Bundle::read(&bytes).unwrap();
    let mut found = Vec::new();
    let walked =
        needed(&manifest.checkpoint, &mut BTreeSet::new(), &mut found, &mut |id| bundle.tree(id));
    assert!(matches!(walked, Err(BadBundle::Tree(_))));
}
